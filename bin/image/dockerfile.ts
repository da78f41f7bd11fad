/** One instruction of a Dockerfile, such as `COPY src src`. */
export interface Instruction {
  name: string
  /** What follows the name, on one line. */
  text: string
}

/** A stage: everything from one FROM to the next. */
export interface Stage {
  /** The image that it starts from. */
  from: string
  /** The name after AS; undefined if it has none. */
  name: string | undefined
  steps: Instruction[]
}

/**
 * Reads the stages of a Dockerfile. Joins continued lines and drops comments. Throws for an instruction before the first
 * FROM, which ours does not have.
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line))
  const stages: Stage[] = []
  for (const line of lines
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')) {
    const [, name = '', rest = ''] = /^\s*(\w+)\s+(.*?)\s*$/.exec(line) ?? []
    if (name.toUpperCase() === 'FROM') stages.push(stageOf(rest))
    else if (stages.length === 0) throw new Error(`The Dockerfile has ${name} before FROM.`)
    else stages.at(-1)!.steps.push({ name: name.toUpperCase(), text: rest })
  }
  return stages
}

function stageOf(text: string): Stage {
  const [from = '', name] = text.split(/\s+AS\s+/i)
  return { from, name, steps: [] }
}

/** The values of `ENV A=1 B=2`. Quotes and spaces in a value are not understood. */
export const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(/\s+/).map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]))

/** The sources, the destination and the other stage of a COPY. */
export function copyOf(text: string): { from: string | undefined; sources: string[]; to: string } {
  const words = text.split(/\s+/)
  const flags = words.filter((word) => word.startsWith('--'))
  const paths = words.slice(flags.length)
  const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length)
  const other = flags.find((flag) => !flag.startsWith('--from='))
  if (other !== undefined || paths.length < 2) throw new Error(`COPY ${text} is not understood.`)
  return { from, sources: paths.slice(0, -1), to: paths.at(-1)! }
}
