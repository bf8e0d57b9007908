/** What an asynchronous function answers, for a component. */
import { useEffect, useState } from 'react'

type Loaded<T> = { readonly value: T | null; readonly error: Error | null }

/** Both null until it is there. Another `key` loads again, and the answer to the one before is dropped. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: null, error: null })
  useEffect(() => {
    let isCurrent = true
    setLoaded({ value: null, error: null })
    load().then(
      (value) => isCurrent && setLoaded({ value, error: null }),
      (error: Error) => isCurrent && setLoaded({ value: null, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return loaded
}
