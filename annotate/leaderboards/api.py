"""The leaderboard of a dataset."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView
from annotate.datasets.shortcuts import seen_dataset
from annotate.scoring.leaderboards import newest_runs
from rankings.detectors.leaderboard import disagreements

from . import selectors
from .serializers import LeaderboardQuery, LeaderboardSerializer


class LeaderboardOfDataset(ApiView):
    query_serializer_class = LeaderboardQuery

    @extend_schema(parameters=[LeaderboardQuery], responses=LeaderboardSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the methods in the order of a run's figure; 404 before any protocol has scored."""
        dataset = seen_dataset(request, slug)
        asked = self.query()
        runs = newest_runs(dataset)
        if not runs or asked["by"] not in ("", *(run.name for run in runs)):
            raise Http404
        boards = selectors.boards_of(
            runs, asked["figure"], asked["by"], shared_only=asked["shared"]
        )
        data = {
            "figure": boards.figure,
            "by": boards.by,
            "n_images": boards.board.n_images,
            "n_shared": boards.board.n_shared,
            "is_shared": boards.is_shared,
            "methods": selectors.rows_of(boards),
            "disagreements": disagreements(boards.boards),
        }
        return Response(self.shown(LeaderboardSerializer, data))
