"""Default texts of the consent before the first pair. A changed text gets a new version."""

from typing import Final

from annotate.usual_texts import USUAL_CONSENT

VERSION: Final = "1"
TEXTS: Final = {VERSION: USUAL_CONSENT}
