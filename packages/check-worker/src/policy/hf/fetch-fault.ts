/** What could not be fetched, as a sentence for the person who named it. */
export class FetchFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FetchFault'
  }
}
