//! Text forms of decisions: the Questionnaire projection.
