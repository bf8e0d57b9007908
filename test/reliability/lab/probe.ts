/** Loaded into a hub by `--import`: every second a line with what its process holds goes to the file that HUB_PROBE_FILE names. */
import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'

const file = process.env.HUB_PROBE_FILE
if (file)
  setInterval(() => {
    const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
    const handles = process.getActiveResourcesInfo().length
    appendFileSync(
      file,
      `${JSON.stringify({ at: Date.now(), rss, heapTotal, heapUsed, external, arrayBuffers, young, handles })}\n`,
    )
  }, 1_000).unref()
