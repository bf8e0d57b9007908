/** Films in the object store, under `films/{film_id}/`. */
import type { JobObjectKind } from '../work/job-objects.ts'

export const FILM_PREFIX = 'films/'

export type FilmKind = 'still' | 'video'

export const filmObjects = {
  still: { prefix: FILM_PREFIX, folder: 'stills', extension: 'png', contentType: 'image/png' },
  video: { prefix: FILM_PREFIX, folder: 'videos', extension: 'webm', contentType: 'video/webm' },
} as const satisfies Readonly<Record<FilmKind, JobObjectKind>>
