/** Loads a part of the server; where `npm ci` has not made all of it, rejects with an error that says so. */
export async function ofServer<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { notInstalled } = await import('../platform/not-installed.ts')
    const line = notInstalled(error)
    throw line === null ? error : new Error(line, { cause: error })
  }
}
