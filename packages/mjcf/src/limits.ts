/**
 * All limits of the reader. MuJoCo has few of its own and takes minutes or gigabytes for a hostile file; a model over a
 * limit is rejected with a `limit` fault. The largest public robot models stay below a tenth of each.
 */
export const limits = {
  /** One XML file. Robots have a few hundred KiB; larger files contain inline meshes or height fields. */
  fileBytes: 16 * 1024 * 1024,
  /**
   * All XML files of a model together, each counted as often as it is included: the complete text of a reading is in
   * memory.
   */
  textBytes: 32 * 1024 * 1024,
  /**
   * Elements of all files, each counted as often as it is included: ~300 bytes an element, so about 30 MB. MuJoCo
   * itself needs over 40 s for 100,000 bodies.
   */
  elements: 100_000,
  /** MuJoCo's own limit: its XML parser fails on an element with content at depth 499. */
  levels: 499,
  /** Nesting after expansion of includes, which add up: same as for one file, and safe for recursive code. */
  expandedLevels: 500,
  /**
   * Attributes of one element. MuJoCo compares every pair to find duplicates (20,000 cost it 12 s); MJCF has no element
   * with more than 100.
   */
  elementAttributes: 1_000,
  /** Attributes of all elements. */
  attributes: 500_000,
  /** Executed includes, counting nested ones each time: n files that include the next one twice give 2^n. */
  includes: 1_000,
  /** Paths of XML files looked up, found or not. */
  asked: 20_000,
  /** Files loaded as model assets, those of their own model assets counted too. */
  models: 200,
  /** Asset files of a model: public robots have at most some hundreds. */
  assets: 20_000,
  /** Nested links of a URDF. For MJCF `levels` is the limit. */
  links: 1_000,
  /** Elements of one kind that contribute to one default class, including its parents'; robots have a handful. */
  layers: 200,
  /**
   * Name and point look-ups while the model is built: each copy checks all references and siblings. MuJoCo needs
   * seconds for this many.
   */
  lookups: 4_000_000,
  /** Objects after frames, replicate, attach, composite and flexcomp are expanded. */
  objects: 100_000,
  /** A file with more faults than this is likely of another format. */
  faults: 100,
} as const
