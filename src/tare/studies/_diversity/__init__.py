"""Whether preferences separate systems as subtopic judgements do."""
