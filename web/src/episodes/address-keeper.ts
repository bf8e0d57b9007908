/** Keeps the address of a page as what is shown: a reload or a link that is copied opens the same. */

/** Between changes of the address: browsers refuse more than some a second. */
const ADDRESS_MS = 400

export interface AddressKeeper {
  /** Something else is shown. */
  soon(): void
  stop(): void
}

/** Writes the address once for changes in a row. */
export function addressKeeper(write: () => void): AddressKeeper {
  let waiting: ReturnType<typeof setTimeout> | undefined
  return {
    soon() {
      clearTimeout(waiting)
      waiting = setTimeout(write, ADDRESS_MS)
    },
    stop: () => clearTimeout(waiting),
  }
}
