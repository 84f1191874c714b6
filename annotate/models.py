"""The models of all subjects, collected for Django."""

# ruff: noqa: F401
import annotate.accounts.models
import annotate.api.models
import annotate.api.tokens.models
import annotate.audit.models
import annotate.datasets.models
import annotate.design.setup.models
import annotate.imports.models
import annotate.jobs.models
import annotate.judges.models
import annotate.judging.models
import annotate.leaderboards.models
import annotate.learning.models
import annotate.publication.models
import annotate.recruiting.models
import annotate.reports.models
import annotate.scoring.models
import annotate.stopping.models
import annotate.studies.models
