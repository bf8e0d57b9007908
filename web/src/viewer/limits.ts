/** What showing one robot may take of the browser. A public robot needs 1 to 40 MB of files. */
export const viewerLimits = {
  /** All files that the model needs: they are in memory next to what MuJoCo makes of them. */
  filesBytes: 256 * 1024 * 1024,
  /** Positions and triangles of what is drawn. */
  sceneBytes: 128 * 1024 * 1024,
  /** Shapes of the model, each drawn by itself: a scene of a real robot has 10 to 1,000. */
  shapes: 5_000,
  bodies: 5_000,
  /** Time for MuJoCo to compile, in ms: a robot takes a second, and a model may be written to take days. */
  compileMs: 60_000,
  /** Rows of a panel: joints, actuators, bodies. */
  rows: 300,
  /** Files of the repo that are listed, 1,000 a request. */
  listedFiles: 20_000,
  /** Downloads at once: browsers open six connections to a host. */
  downloads: 6,
  /** Paths of one request for addresses. */
  signedPaths: 100,
  /**
   * Of one advance of the simulation, in ms: a slow model lags, and its picture still moves. Where pictures come slower
   * than that, stepping may take as long as one of them.
   */
  steppingMs: 40,
  /** Bytes of an error's text. */
  messageChars: 600,
} as const
