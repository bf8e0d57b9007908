/** What the browser draws with, and what a page may therefore ask of it. */

/**
 * `glossy`: a graphics card. `dull`: the processor, which takes a second for a picture that a card draws in a hundredth
 * of one. A browser that does not say what draws is taken to have a card.
 */
export type Graphics = 'glossy' | 'dull'

/** As browsers name a renderer without a card: Chromium, Mesa, Windows, macOS. */
const software = /swiftshader|llvmpipe|softpipe|software|basic render/i

/** What draws, as the browser calls it. */
export function rendererName(gl: WebGLRenderingContext | WebGL2RenderingContext): string {
  const named = gl.getExtension('WEBGL_debug_renderer_info')
  return String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER))
}

/** Null where the browser has no WebGL 2. It takes a context of the few that a page may have, and gives it back. */
export function graphicsOf(canvas: Pick<HTMLCanvasElement, 'getContext'>): Graphics | null {
  const gl = canvas.getContext('webgl2')
  if (!gl) return null
  const renderer = rendererName(gl)
  gl.getExtension('WEBGL_lose_context')?.loseContext()
  return software.test(renderer) ? 'dull' : 'glossy'
}
