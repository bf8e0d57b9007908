/** What a field of the graph declares of its size, next to its resolver. */
/** Options of a field in `schema/`, which the limits of operations read. */
export interface DeclaredSize {
  /**
   * The most items of a list without page arguments that the count before an operation expects: its limit, or a large
   * usual length where few lists come near their limit; more are counted as they come. Of a list within a list whose
   * items are bounded together: the average.
   */
  readonly most?: number
  /** The arguments that set the number of items; by default all that are whole numbers or lists of ids. */
  readonly sizedBy?: readonly string[]
  /** Items of a connection when no page size is given; 20 by default. */
  readonly page?: number
  /**
   * What producing the value costs, in objects. By default a connection costs its page, another resolver 1, and a plain
   * property nothing.
   */
  readonly work?: number
}
