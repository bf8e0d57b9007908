/** A model could not be read now; another time it can. It is no fault of the model. */
export class ReadingUnavailable extends Error {
  readonly type = 'unavailable'
}
