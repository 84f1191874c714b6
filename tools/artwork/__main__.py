"""Write all artwork to where the site ships it: `python -m tools.artwork`, or `make artwork`."""

from .cards import pictures


def main() -> None:
    for path, text in pictures.files():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
