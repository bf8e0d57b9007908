/** Asks for a file, whose bytes may come from a store on another site. */

import { patiently } from '../app/patient-fetch.ts'
import { PageError } from '../ui/problem.ts'

/** A store of S3 answers 503 `SlowDown`, in words of its own; what a hub lacks stays lacking. */
const isBusy = async (response: Response) => !(await response.text()).includes('/problems/not_configured')

/**
 * Like `fetch`, for reading; a busy store is asked again. Where nothing is answered, it rejects in words for a person.
 * The browser says no more than that.
 */
export async function fetchFile(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await patiently(() => fetch(url, init), isBusy, init.signal)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const why = 'The file cannot be read: there was no answer, or the object store does not let pages read it'
    throw new PageError('No answer', `${why} ("hub doctor" tells the operator).`, { cause: error })
  }
}
