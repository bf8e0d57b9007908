/** Of what a sentence quotes from the file: names have up to megabytes. */
const MOST_CHARACTERS = 1000

/** A file whose content does not match its name, or exceeds a limit. The message is a sentence. */
export class FormatFault extends Error {
  constructor(message: string) {
    super(message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message)
    this.name = 'FormatFault'
  }
}
