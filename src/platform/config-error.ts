/** What is wrong with the configuration. */

/** All faults of the environment, one a line. Names variables; the only values it names are files and folders. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    const [first, ...others] = faults.map((fault) => fault.replaceAll(/\s*\n\s*/g, ' '))
    super(
      others.length === 0
        ? `Invalid configuration: ${first}`
        : ['Invalid configuration:', first, ...others].join('\n  '),
    )
    this.name = 'ConfigError'
  }
}
