/** A file that is not what its name says, or that holds more than is read. The message is a sentence. */
export class FormatFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FormatFault'
  }
}
