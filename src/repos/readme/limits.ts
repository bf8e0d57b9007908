/** Limits of the cards in READMEs. They are part of rows that every list of repos reads. */

/** 1 MiB: a longer README.md has no card. The header alone has a limit of its own. */
export const MAX_README_BYTES = 1024 * 1024

/** 256 KiB: the JSON of a header, in UTF-8 and with its aliases written out. */
export const MAX_CARD_BYTES = 256 * 1024

/** Members and items of a header, with its aliases written out. */
export const MAX_CARD_VALUES = 20_000

/** Levels of a header, with its aliases written out. Of what people write, the features of a dataset have about ten. */
export const MAX_CARD_LEVELS = 64

/** Tags of a card that count as tags of the repo. */
export const MAX_CARD_TAGS = 100

/** Everything else that a card can be found by, a language, a license, a dataset. */
export const MAX_CARD_LABELS = 100

/** Repos that a card says it is made from. */
export const MAX_SOURCES = 50

/** Characters of a label. The longest name of a repo has 129. */
export const MAX_LABEL_CHARACTERS = 200

/** Characters of a license, a library, a task or a title. */
export const MAX_FACT_CHARACTERS = 200
