/** Compares two texts away from the page: a megabyte of each may take seconds. */
import { diffTexts, type TextDiff } from './text-diff.ts'

export interface DiffRequest {
  readonly before: string
  readonly after: string
}

addEventListener('message', ({ data: { before, after } }: MessageEvent<DiffRequest>) => {
  postMessage(diffTexts(before, after) satisfies TextDiff | null)
})
