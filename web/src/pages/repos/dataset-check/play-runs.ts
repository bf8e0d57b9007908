/** Decodes pictures by a player that goes to them: for pages to which a browser does not give its decoder. */
import type { CodedPictures, Decoded } from '@hub/dataset/pictures'

/** A fault is what the player cannot decode; what it cannot load says nothing of the video. */
export async function playRuns(url: string, { codec, runs }: CodedPictures, signal: AbortSignal): Promise<Decoded> {
  const video = document.createElement('video')
  const type = `video/mp4; codecs="${codec}"`
  if (video.canPlayType(type) === '') return { is: 'skipped', why: `this browser does not decode ${codec}` }
  Object.assign(video, { muted: true, preload: 'auto', src: url })
  try {
    for (const { frame, shown } of runs) {
      // In the middle of a picture: its edges belong to its neighbours as well.
      video.currentTime = (shown.from + shown.to) / 2
      const error = await settled(video, signal)
      if (error && error.code !== MediaError.MEDIA_ERR_DECODE)
        return { is: 'skipped', why: 'the player cannot load the video' }
      if (error) return { is: 'fault', frame, why: error.message || 'the player cannot decode it' }
      if (video.videoWidth === 0) return { is: 'fault', frame, why: 'the player makes no picture of it' }
    }
    return { is: 'decoded' }
  } finally {
    video.removeAttribute('src')
    video.load()
  }
}

/** Null when the picture is there. */
const settled = (video: HTMLVideoElement, signal: AbortSignal) =>
  new Promise<MediaError | null>((resolve, reject) => {
    const end = new AbortController()
    const listening = { signal: end.signal }
    const done = (error: MediaError | null) => {
      end.abort()
      resolve(error)
    }
    // The place is there, and then the picture of it.
    const look = () => {
      if (video.error) done(video.error)
      else if (!video.seeking && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) done(null)
    }
    for (const event of ['seeked', 'loadeddata', 'canplay', 'error']) video.addEventListener(event, look, listening)
    signal.addEventListener('abort', () => reject(signal.reason), listening)
    look()
  })
