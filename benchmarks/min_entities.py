"""What is left of real data after min_entities: prints the table of docs/how-to/privacy.md."""

from __future__ import annotations

from honem.evaluation.datasets import load_real
from honem.io.paths import clean_corpus

DATA = ("us_flights", "shenzhen", "bay_area_bikes2014", "lloyds", "wikispeedia", "grateful_dead_setlists")
LEAST = (2, 5, 10)


def main() -> None:
    print(f"| data | {' | '.join(f'K = {least}' for least in LEAST)} |")
    print(f"|---|{'---|' * len(LEAST)}")
    for name in DATA:
        corpus = load_real(name).corpus
        left = [clean_corpus(corpus, min_entities=least)[0].n_weighted_steps for least in LEAST]
        shares = " | ".join(f"{100 * steps / corpus.n_weighted_steps:.0f} %" for steps in left)
        print(f"| {name} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
