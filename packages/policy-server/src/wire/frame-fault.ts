/** A frame that cannot be served. The message is a sentence for the device; its link is closed. */
export class FrameFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FrameFault'
  }
}

/** An input with Infinity or NaN. The model is not asked, since its answer would mean nothing. */
export class NotFinite extends FrameFault {
  readonly input: string
  /** Of the element, row after row. */
  readonly place: number
  readonly value: number

  constructor(input: string, place: number, value: number) {
    super(`${JSON.stringify(input)} has ${value} at place ${place}: only finite numbers of its type are taken.`)
    this.name = 'NotFinite'
    this.input = input
    this.place = place
    this.value = value
  }
}
