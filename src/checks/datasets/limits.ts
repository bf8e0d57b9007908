/** Limits of the checks of data sets. Contract, "Checks of data sets". */

/** A repo that changes often is checked again no sooner, unless a person asks. */
export const SECONDS_BETWEEN = 600
/** Of a report, as JSON text. Workers keep theirs below it, and say what they left out. */
export const MAX_REPORT_BYTES = 1024 * 1024
