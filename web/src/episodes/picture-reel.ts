/** Single pictures of a camera, drawn at a time that is given: a recording has them one by one, not as a video. */
import { element } from '../viewer/panels/element.ts'
import type { EpisodePictures } from './dataset.ts'

export interface PictureReel {
  readonly node: HTMLElement
  /** Of times that come while a picture is read, the last is shown next. */
  at(time: number): void
  close(): void
}

const NO_PICTURE = 'No picture before this time that a page can draw (JPEG, PNG, WebP).'

/** A canvas that shows the last picture before a time. */
export function pictureReel({ camera, at: pictureAt }: EpisodePictures): PictureReel {
  const canvas = element('canvas', { role: 'img', 'aria-label': `Pictures of ${camera}` })
  const note = element('p', { class: 'episode-note', role: 'status' })
  const node = element('figure', {}, canvas, element('figcaption', {}, camera), note)
  let next: number | null = null
  let isBusy = false
  let isClosed = false
  const draw = async (time: number) => {
    const picture = await pictureAt(time)
    if (isClosed) return
    note.textContent = picture === null ? NO_PICTURE : ''
    if (picture === null) return
    const bitmap = await createImageBitmap(new Blob([picture.bytes], { type: picture.type }))
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height })
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
    bitmap.close()
  }
  const run = async () => {
    if (isBusy) return
    isBusy = true
    while (next !== null && !isClosed) {
      const time = next
      next = null
      await draw(time).then(
        () => {
          canvas.dataset.time = String(time)
        },
        (error: unknown) => {
          note.textContent = error instanceof Error ? error.message : String(error)
        },
      )
    }
    isBusy = false
  }
  return {
    node,
    at(time) {
      next = time
      void run()
    },
    close() {
      isClosed = true
    },
  }
}
