/**
 * The caps of the reader, all in one place. MuJoCo has few of its own and takes minutes or gigabytes for a hostile file; a model past a cap is refused
 * with a `limit` fault. The largest of the public robot models stays below a tenth of each.
 */
export const limits = {
  /** One XML file. Robots write a few hundred KiB; meshes and height fields written inline make the larger ones. */
  fileBytes: 16 * 1024 * 1024,
  /** All XML files of a model together, each counted as often as it is included: the text of a reading lives in memory as a whole. */
  textBytes: 32 * 1024 * 1024,
  /** Elements of all files, each counted as often as it is included: ~300 bytes an element, so about 30 MB. MuJoCo itself needs over 40 s for 100,000 bodies. */
  elements: 100_000,
  /** MuJoCo's own: its XML parser gives up where an element with content is the 499th below the document. */
  levels: 499,
  /** Nesting after includes are expanded, where a chain of files adds up: as deep as one file may be, and safe for code that recurses. */
  expandedLevels: 500,
  /** Attributes of one element. MuJoCo looks for duplicates pair by pair (20,000 cost it 12 s); MJCF has no element with more than 100. */
  elementAttributes: 1_000,
  /** Attributes of all elements. */
  attributes: 500_000,
  /** Executed includes, nested ones counted each time: n files that include the next one twice make 2^n. */
  includes: 1_000,
  /** Paths of XML files looked for, found or not. */
  asked: 20_000,
  /** Files loaded as model assets, those of their own model assets counted too. */
  models: 200,
  /** Asset files that a model names: the public robots name at most some hundreds. */
  assets: 20_000,
  /** Links of a URDF below one another. MJCF has its own bound in `levels`. */
  links: 1_000,
  /** Elements of one kind that add to one default class, its parents' included; robots have a handful. */
  layers: 200,
  /** Looks at names and points while the model is put together: each copy looks at all that refers to something, and at what stands beside it. MuJoCo needs seconds for as many. */
  lookups: 4_000_000,
  /** Objects after frames, replicate, attach, composite and flexcomp are expanded. */
  objects: 100_000,
  /** A file with more faults than this is of another format. */
  faults: 100,
} as const
