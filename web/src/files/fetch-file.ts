/** Asks for a file, whose bytes may come from a store on another site. */

import { PageError } from '../ui/problem.ts'

/** Like `fetch`; where nothing is answered, it rejects in words for a person. The browser says no more than that. */
export async function fetchFile(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const why = 'The file cannot be read: there was no answer, or the object store does not let pages read it'
    throw new PageError('No answer', `${why} ("hub doctor" tells the operator).`, { cause: error })
  }
}
