/** What could not be fetched, as a sentence for the person who named it. */
export class FetchFault extends Error {
  /** Nothing usable came back this time: the network, or a server that is busy. */
  readonly isTransient: boolean

  constructor(message: string, { isTransient = false, ...options }: ErrorOptions & { isTransient?: boolean } = {}) {
    super(message, options)
    this.name = 'FetchFault'
    this.isTransient = isTransient
  }
}
