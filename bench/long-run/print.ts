/** When the model was asked, and with how long a prompt. */
export interface Asked {
  at: number
  inputTokens: number
}

const rows = 20

/** How long the prompts were, in as many rows as one looks at. */
export function printPrompts(asked: Asked[], contextTokens: number): void {
  const size = Math.ceil(asked.length / rows)
  console.log(`prompts in tokens (window ${contextTokens}):`)
  for (let from = 0; from < asked.length; from += size) {
    const tokens = asked.slice(from, from + size).map(({ inputTokens }) => inputTokens)
    const shorter = tokens.filter((each, index) => each < (tokens[index - 1] ?? 0)).length
    console.log(
      `  steps ${from + 1} to ${from + tokens.length}: ${Math.min(...tokens)} to ${Math.max(...tokens)}, ` +
        `cut ${shorter} times`,
    )
  }
}

/** Steps a second in the first, the middle and the last tenth. */
export function printSpeed(asked: Asked[]): void {
  const tenth = Math.max(Math.floor(asked.length / 10), 2)
  const parts = { first: 0, middle: Math.floor((asked.length - tenth) / 2), last: asked.length - tenth }
  for (const [name, from] of Object.entries(parts)) {
    const part = asked.slice(from, from + tenth)
    const seconds = ((part.at(-1)?.at ?? 0) - (part[0]?.at ?? 0)) / 1000
    console.log(`${((part.length - 1) / seconds).toFixed(1)} steps/s in the ${name} tenth`)
  }
}
