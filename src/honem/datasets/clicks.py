"""Clicks of readers who look for an article of an encyclopedia, with back-clicks."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from honem._internal.validation import require_whole
from honem.datasets.visits import Visits, visits_of

BACK = "<"
"""What a click on the back button is in the table, as in the logs of Wikispeedia."""

# Topic -> articles that only the portal of the topic links to. The portal has the name of the topic.
ARTICLES = {
    "Geography": ("Andes", "Danube", "Iceland", "Kenya", "Peru", "Sahara", "Tibet", "Volga"),
    "Science": ("Atom", "Cell", "Enzyme", "Galaxy", "Laser", "Neutron", "Oxygen", "Virus"),
    "History": ("Aztecs", "Byzantium", "Magna Carta", "Napoleon", "Ottomans", "Printing", "Sparta", "Vikings"),
    "Arts": ("Ballet", "Cubism", "Fresco", "Haiku", "Jazz", "Opera", "Sonata", "Theatre"),
}
# Articles that two portals link to. Readers who give up there go back to the portal that they came from.
SHARED = {
    "Volcano": ("Geography", "Science"),
    "Climate": ("Geography", "Science"),
    "Silk Road": ("Geography", "History"),
    "Egypt": ("Geography", "History"),
    "Astronomy": ("Science", "History"),
    "Perspective": ("Science", "Arts"),
    "Renaissance": ("History", "Arts"),
    "Greece": ("History", "Arts"),
}
START = "Main page"
GIVES_UP = 0.6
"""Probability that an article is not the one that a reader was looking for."""
LOST = 0.1
"""Probability that a reader who is not at the goal goes to the main page instead of back."""


def load_clicks(n_readers: int = 3000, *, seed: int = 0) -> Visits:
    """Generate clicks of readers of a small encyclopedia, who look for an article and often go back.

    Readers choose a topic on the main page, and then an article. If it is not the right one, they click the back button
    and try another one. Some articles belong to two topics: what comes after them depends on where readers came from.

    Parameters
    ----------
    n_readers : int, default=3000
        Number of readers; each clicks on 3 to 18 pages.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `reader`, `time` and `page`; a back-click is the page "<". `corpus` resolves back-clicks to the
        page that readers return to. The labels are the topics.

    Raises
    ------
    ParameterError
        If `n_readers` is not a positive integer.

    Examples
    --------
    >>> clicks = load_clicks()
    >>> clicks.labels["Volga"], clicks.options["back"]
    ('Geography', 'replay')
    """
    require_whole("n_readers", n_readers, 1)
    random = np.random.default_rng(seed)
    links = {
        topic: (*articles, *(article for article, topics in SHARED.items() if topic in topics))
        for topic, articles in ARTICLES.items()
    }
    sequences = [clicks_of(links, random) for _ in range(n_readers)]
    clicked = {page for sequence in sequences for page in sequence}
    topics = {page: topic for topic, articles in ARTICLES.items() for page in (topic, *articles)}
    labels: dict[Hashable, str] = {page: topic for page, topic in topics.items() if page in clicked}
    return visits_of(
        sequences, ("reader", "time", "page"), labels, random, reading={"back_token": BACK, "back": "replay"}
    )


def clicks_of(links: dict[str, tuple[str, ...]], random: np.random.Generator) -> list[str]:
    """Return the pages of one reader, from the main page to the article that was looked for."""
    topics = list(links)
    pages = [START, topics[random.integers(len(topics))]]
    untried = list(random.permutation(links[pages[-1]]))
    for _ in range(6):
        pages.append(str(untried.pop()))
        if random.random() >= GIVES_UP:
            return pages
        if random.random() < LOST:
            pages += [START, topics[random.integers(len(topics))]]
            untried = list(random.permutation(links[pages[-1]]))
        else:
            pages.append(BACK)
    return pages
