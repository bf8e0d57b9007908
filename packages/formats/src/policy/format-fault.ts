/** A file whose content does not match its name, or exceeds a limit. The message is a sentence. */
export class FormatFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FormatFault'
  }
}
