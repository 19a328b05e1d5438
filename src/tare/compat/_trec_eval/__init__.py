"""The measures of trec_eval, its sets of measures and its rules for parameters."""
