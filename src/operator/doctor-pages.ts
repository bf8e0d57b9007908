/** Whether pages can send files to the bucket, and read files from it. */
import type { S3Settings } from '../platform/config.ts'
import { pagesCannot, pagesRule } from '../store/objects/s3-cors.ts'
import { type Check, ok, warn } from './doctor-checks.ts'

const NAME = 'bucket cors'

/** Asks the store as a browser does, for each origin. `key`: an object that is there. */
export async function pagesCheck(settings: S3Settings, origins: readonly string[], key: string): Promise<Check> {
  const asked = await Promise.all(
    origins.map(async (origin) => {
      // Without an answer in time no one can say what a page may do.
      const cannot = await pagesCannot(settings, origin, key).catch(() => ['ask the store (CORS)'])
      return { origin, cannot }
    }),
  )
  const shut = asked.filter(({ cannot }) => cannot.length > 0)
  if (shut.length === 0) return ok(NAME, `pages of ${origins.join(', ')} may send and read files`)
  return warn(
    NAME,
    shut.map(({ origin, cannot }) => `pages of ${origin} cannot ${cannot.join(', nor ')}`).join('; '),
    `npm run hub -- store allow-pages, or add this CORS rule to the bucket: ${JSON.stringify(pagesRule(origins))}`,
  )
}
