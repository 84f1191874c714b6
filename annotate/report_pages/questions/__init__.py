"""The paper's open questions, answered on one page with the numbers of a study."""
