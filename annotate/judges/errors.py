from annotate.api.errors import ApiError


class PicturesNotReleased(ApiError):
    """No release in force covers the judge's host."""

    status_code = 403
    problem = "pictures-not-released"
    title = "The pictures are not released"
    default_detail = "An admin has not released this study's pictures to the host of this judge."
