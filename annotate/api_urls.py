"""URLs of the API, version 1."""

from django.urls import include, path, re_path, register_converter

from annotate.accounts import api as accounts
from annotate.api import views as rest
from annotate.api.addresses import Key
from annotate.datasets import api as datasets
from annotate.design.planning import api as planning
from annotate.exchange import api as exchange
from annotate.guide import api as guide
from annotate.imports import api as imports
from annotate.jobs import api as jobs
from annotate.judges import api as judges
from annotate.judging import api as judging
from annotate.leaderboards import api as leaderboards
from annotate.progress import api as progress
from annotate.publication import api as publication
from annotate.report_pages.questions import api as questions
from annotate.reports import api as reports
from annotate.scoring import api as scoring
from annotate.stopping import api as deciding
from annotate.studies import api as studies

register_converter(Key, "key")

app_name = "api"
_JUDGING = [
    path("answers/<slug:extension>", exchange.OwnAnswers.as_view(), name="own_answers"),
    path("assignments", judging.OwnAssignments.as_view(), name="own_assignments"),
]
_STUDY = [
    path("state", studies.StudyState.as_view(), name="study_state"),
    path("members", studies.MemberList.as_view(), name="members"),
    path("progress", progress.StudyProgress.as_view(), name="progress"),
    path("standings", deciding.StandingsOfStudy.as_view(), name="standings"),
    path("annotators", progress.StudyAnnotators.as_view(), name="annotators"),
    path("images", progress.StudyImages.as_view(), name="study_images"),
    path("methods/<slug:method>", judging.StudyMethod.as_view(), name="study_method"),
    path("assignments", judging.AssignmentList.as_view(), name="assignments"),
    path("judges", judges.JudgeList.as_view(), name="judges"),
    path("release", judges.ReleaseOfStudy.as_view(), name="release"),
    path("notes", judging.NoteList.as_view(), name="notes"),
    path("report", reports.ReportOfStudy.as_view(), name="report"),
    path(
        "report/<slug:table>/<slug:extension>", reports.TableOfReport.as_view(), name="report_table"
    ),
    path("changes", questions.ChangesOfStudy.as_view(), name="changes"),
    path("reports", reports.KeptReports.as_view(), name="kept_reports"),
    path("raw/<str:name>", exchange.RawFile.as_view(), name="raw_file"),
    path("paper", publication.PaperOfStudy.as_view(), name="paper"),
]
urlpatterns = [
    path("schema", rest.SchemaView.as_view(), name="schema"),
    path("docs", rest.DocsView.as_view(), name="docs"),
    path("me", accounts.Me.as_view(), name="me"),
    path("datasets", datasets.DatasetList.as_view(), name="datasets"),
    path("datasets/<slug:slug>", datasets.DatasetDetail.as_view(), name="dataset"),
    path("datasets/<slug:slug>/images", datasets.ImageList.as_view(), name="images"),
    path("datasets/<slug:slug>/methods", datasets.MethodList.as_view(), name="methods"),
    path("datasets/<slug:slug>/results", datasets.ResultList.as_view(), name="results"),
    path("datasets/<slug:slug>/runs", scoring.RunList.as_view(), name="runs"),
    path("datasets/<slug:slug>/selections", datasets.SelectionList.as_view(), name="selections"),
    path(
        "datasets/<slug:slug>/leaderboard",
        leaderboards.LeaderboardOfDataset.as_view(),
        name="leaderboard",
    ),
    path(
        "datasets/<slug:slug>/scores.csv",
        exchange.ScoresOfDataset.as_view(),
        name="dataset_scores",
    ),
    path("datasets/<slug:slug>/plan", planning.PlanOfDataset.as_view(), name="plan"),
    path("loads", imports.LoadList.as_view(), name="loads"),
    path("loads/<key:pk>", imports.LoadDetail.as_view(), name="load"),
    path("loads/<key:pk>/files", imports.LoadFiles.as_view(), name="load_files"),
    path("loads/<key:pk>/files/<key:file>", imports.LoadFile.as_view(), name="load_file"),
    path("loads/<key:pk>/check", imports.LoadCheck.as_view(), name="load_check"),
    path("loads/<key:pk>/findings", imports.FindingList.as_view(), name="findings"),
    path("loads/<key:pk>/answers", imports.LoadAnswers.as_view(), name="load_answers"),
    path("loads/<key:pk>/confirm", imports.LoadConfirm.as_view(), name="load_confirm"),
    path("loads/<key:pk>/cancel", imports.LoadCancel.as_view(), name="load_cancel"),
    path("receipts", imports.ReceiptList.as_view(), name="receipts"),
    path("receipts/<key:pk>", imports.ReceiptDetail.as_view(), name="receipt"),
    path("receipts/<key:pk>/undo", imports.ReceiptUndo.as_view(), name="receipt_undo"),
    path("images/<key:pk>", datasets.ImageDetail.as_view(), name="image"),
    path("images/<key:pk>/truth", scoring.TruthOfImage.as_view(), name="truth"),
    path("selections/<key:pk>", datasets.SelectionDetail.as_view(), name="selection"),
    re_path(
        r"^photographs/(?P<sha256>[0-9a-f]{64})$", datasets.Photograph.as_view(), name="photograph"
    ),
    path("results/<key:pk>", datasets.ResultDetail.as_view(), name="result"),
    path("runs/<key:pk>", scoring.RunDetail.as_view(), name="run"),
    path("runs/<key:pk>/scores", scoring.ScoreList.as_view(), name="scores"),
    path("runs/<key:pk>/causes", exchange.CausesOfRun.as_view(), name="run_causes"),
    path("jobs", jobs.JobList.as_view(), name="jobs"),
    path("jobs/<key:pk>", jobs.JobDetail.as_view(), name="job"),
    path("jobs/<key:pk>/cancel", jobs.JobCancel.as_view(), name="job_cancel"),
    path("jobs/<key:pk>/file", jobs.JobFile.as_view(), name="job_file"),
    path("protocols", guide.ProtocolList.as_view(), name="protocols"),
    path("protocols/<slug:slug>", guide.ProtocolDetail.as_view(), name="protocol"),
    path("protocols/<slug:slug>/score", guide.ProtocolScore.as_view(), name="protocol_score"),
    path("studies", studies.StudyList.as_view(), name="studies"),
    path("studies/<slug:slug>", studies.StudyDetail.as_view(), name="study"),
    path("studies/<slug:slug>/", include(_STUDY)),
    path("reports/<key:pk>", reports.KeptReportDetail.as_view(), name="kept_report"),
    path("reports/<key:pk>/paper", publication.PaperOfKeptReport.as_view(), name="kept_paper"),
    path("reports/<key:pk>/public", publication.PublicPageOfReport.as_view(), name="public_page"),
    path(
        "reports/<key:pk>/<slug:table>/<slug:extension>",
        reports.TableOfKeptReport.as_view(),
        name="kept_table",
    ),
    path("judges/<key:pk>", judges.JudgeDetail.as_view(), name="judge"),
    path("judges/<key:pk>/close", judges.JudgeClose.as_view(), name="judge_close"),
    path("judges/<key:pk>/tasks", judges.TaskList.as_view(), name="judge_tasks"),
    path(
        "judges/<key:pk>/tasks/<slug:task>/pictures/<slug:part>",
        judges.TaskPicture.as_view(),
        name="judge_picture",
    ),
    path("judges/<key:pk>/answers", judges.AnswerList.as_view(), name="judge_answers"),
    path("judging", judging.JudgedStudies.as_view(), name="judged_studies"),
    path("judging/studies/<slug:slug>/", include(_JUDGING)),
    re_path("", rest.NotThere.as_view(), name="nowhere"),
]
