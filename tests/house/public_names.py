"""The names that users import, module by module. A release that changes one of them says so in the CHANGELOG."""

from __future__ import annotations

from importlib.util import find_spec

_NAMES = {
    "tare": """
        Answers Arena AssessorGroups BertBaseline Comparison EstimateComparison
        Estimates Gate JudgeDesign Leaderboard Letor Measure PowerStudy
        Preferences Qrels Ratings Result Run Scores Signature Subtopics Summaries
        TareError __version__ arena bert_baseline bertscore chance compare compat
        engines estimate evaluate evaluate_answers evaluate_arrays evaluate_lists
        evaluate_texts extractive_oracle gate ideals leaderboard lrap parse power
        queries_for_width rankers ranks read_answers read_assessor_groups read_letor
        read_preferences read_qrels read_ratings read_run read_runs read_subtopics
        read_summaries report rouge simulate stats strengths studies user_measure
    """,
    "tare.chance": """
        Chances DocumentKinds Floor Kinds Luck Pool Significance TextChances better_than_chance
        broad_and_focused chances document_kinds floor halves kinds luck text_chances
    """,
    "tare.engines": "Engine Local Parts Ray judge_part register_engine",
    "tare.errors": """
        DataError EngineError FormatError MAX_REPORTED MeasureError MismatchError
        MissingExtraError OptionError TareError UnreadableError UsageError choose nearest
        raise_all
    """,
    "tare.rankers": """
        AdaRank BASELINES CoordinateAscent Ideal LambdaMART ListNet LogisticRegression MODES
        Model NORMALISATIONS RANKERS RandomForest RandomOrder RankBoost RankNet Ranker
        SingleFeature load ranker
    """,
    "tare.report": "Report report write",
    "tare.stats": """
        Anova CORRECTIONS Certificate Correlation Design DifferenceTest
        Effects ExchangeTest FlipTest INTERVALS LossTest MacroMaxT MaxT MeanInterval Omnibus PairTest
        Pairs PowerCurve RankBiasedOverlap RatioInterval Sizes TESTS
        TestOptions WinTest adjust anova bootstrap_t certify correlate
        correlation document_effect effects exchange_test flip_test friedman hybrid
        hybrid_t hybrid_w interval items_for_anova items_for_interval items_for_t
        items_from_pilot kruskal_wallis least_units letters loss_test macro_max_t max_t
        mean_interval mean_intervals paired_t permutation permutation_t permutation_w
        pilot_variance pooled_t power_curve queries_to_certify ratio_interval rbo
        relative_efficiency run_test sign_test signed_ranks
        signs sizes_of_tests student swap tukey tukey_kramer tukey_randomised
        tukey_ranks welch_t wilcoxon win_test
    """,
    "tare.studies": """
        Agreement AnswerStudy AssessorStudy Consistency Discrimination DiversityStudy ItemStudy
        JudgeStudy Kappa LearnedMeasures LetorStudy MeasuresAndPeople SelfConsistency SummaryStudy
        agreement answers assessors cohen_kappa consistency discrimination diversity fleiss_kappa
        items judges learned_measure letor measures_and_people run_consistency self_consistency
        summaries
    """,
    "tare.compat": """
        Installation beir bert_score install ir_measures pytrec_eval rouge_score
        sentence_transformers uninstall
    """,
    "tare.compat.beir": "EvaluateRetrieval",
    "tare.compat.bert_score": "BERTScorer score",
    "tare.compat.ir_measures": "E Net TareProvider V2 tare_provider",
    "tare.compat.pytrec_eval": """
        RelevanceEvaluator compute_aggregated_measure parse_qrel parse_run supported_measures
        supported_nicknames
    """,
    "tare.compat.rouge_score.rouge_scorer": "RougeScorer",
    "tare.compat.rouge_score.scoring": "AggregateScore BaseScorer BootstrapAggregator Score fmeasure",
    "tare.compat.rouge_score.tokenizers": "DefaultTokenizer Tokenizer",
    "tare.compat.sentence_transformers": "NetRetrievalEvaluator",
}
# sentence-transformers cannot be imported without torch, and `tare.compat` hands it on.
ABSENT = () if find_spec("torch") else ("tare.compat", "tare.compat.sentence_transformers")
NAMES = {module: names.split() for module, names in _NAMES.items() if module not in ABSENT}

# The packages of tare itself; the modules of `tare.compat` have the names and types of other programs.
PUBLIC = [module for module in NAMES if not module.startswith("tare.compat.")]
