/** A frame that cannot be served. The message is a sentence for the device; its link is closed. */
export class FrameFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FrameFault'
  }
}
