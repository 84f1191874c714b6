"""Documents of protocols as HTML: safe, within the site, and within its security policy."""

from annotate.guide.markdown import own_words, rendered, sources
from tests.support.cases import cases


def test_the_first_heading_is_the_title_of_the_page():
    document = rendered("# IOU `0.5`\n\nText.\n")
    assert document.title == "IOU 0.5"
    assert document.html == "<p>Text.</p>\n"


def test_headings_have_names_of_their_own():
    html = rendered("## Empty cases\n\n## Empty cases\n\n## –\n").html
    assert 'id="doc-empty-cases"' in html
    assert 'id="doc-empty-cases-2"' in html
    assert 'id="doc-part"' in html


@cases(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "![a](javascript:alert(1))",
        "![a](https://example.org/a.png)",
        "![a](../../secret.svg)",
        "![a](img/../secret.svg)",
        "| <table onclick=x> |\n|---|\n| <b>a</b> |",
        "```\n</code><script>alert(1)</script>\n```",
    ],
)
def test_what_could_do_harm_becomes_text(text):
    html = rendered(text).html
    for tag in ("<script", "<img", "<b>", "href=", "<table onclick"):
        assert tag not in html


def test_pictures_of_the_documents_are_those_of_the_site():
    html = rendered("![A split](img/iou-split.svg)").html
    assert 'src="/protocols/img/iou-split.svg"' in html
    assert 'alt="A split"' in html


@cases(
    ("link", "href"),
    [
        ("deteval.md", "/protocols/deteval/"),
        ("./deteval.md#empty", "/protocols/deteval/#doc-empty"),
        ("#empty", "#doc-empty"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_links_lead_to_the_pages_of_the_site_and_to_the_web(link, href):
    assert f'<a href="{href}">a</a>' in rendered(f"[a]({link})").html


@cases("link", ["unknown.md", "../REFERENCES.md", "/admin/", "//example.org/"])
def test_links_that_lead_nowhere_keep_their_words(link):
    assert rendered(f"[word]({link})").html == "<p>word</p>\n"


def test_tables_carry_no_style_which_the_policy_refuses():
    html = rendered("| a | b |\n|---|--:|\n| 1 | 2 |\n").html
    assert "style=" not in html
    assert '<td class="number">2</td>' in html


def test_what_may_be_wide_scrolls_by_keyboard_and_tables_are_told_apart():
    table = "| a |\n|---|\n| 1 |\n\n"
    html = rendered(f"{table}Text.\n\n{table}    code\n").html
    assert html.count('tabindex="0"') == 3
    assert 'aria-label="Table 1"' in html
    assert 'aria-label="Table 2"' in html


def test_the_source_of_every_protocol_is_told():
    from protocols import registry

    told = sources()
    assert told["WJ06"].startswith("C. Wolf")
    missing = [
        f"protocols/REFERENCES.md has no [{protocol.reference}], which {protocol.slug} names"
        for protocol in registry.all_protocols()
        if protocol.reference.split(",")[0] not in told
    ]
    assert missing == []


def test_what_a_researcher_writes_keeps_lines_emphasis_lists_and_links():
    text = "Dear *all*,\nthank you.\n\n- one\n\n[us](https://example.org/a) <a@example.org>"
    assert own_words(text) == (
        "<p>Dear <em>all</em>,<br />\nthank you.</p>\n<ul>\n<li>one</li>\n</ul>\n"
        '<p><a href="https://example.org/a">us</a> '
        '<a href="mailto:a@example.org">a@example.org</a></p>\n'
    )


@cases(
    "text",
    [
        "# A title",
        "A title\n===",
        "<script>alert(1)</script>",
        "[a](javascript:alert(1))",
        "[a](/accounts/erase/)",
        "![a](javascript:alert(1))",
        "<b onclick=x>",
    ],
)
def test_what_a_researcher_writes_brings_no_headings_scripts_or_links_into_the_site(text):
    html = own_words(text)
    for tag in ("<h1", "<script", "<b ", "<img", "href="):
        assert tag not in html
