/** The part of Babel's paths that is read here. */
interface Path {
  node: { type: string; value?: unknown; quasis?: { value: { raw: string } }[] }
}

/** Two words with a space between them: for people, or SQL. Codes, keys and patterns have none. */
const words = /[a-z][.,:;]? [a-z]/i

/** Has Stryker leave sentences alone: their wording is no rule. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: {
      shouldIgnore({ node }: Path): string | undefined {
        const texts =
          node.type === 'StringLiteral' ? [String(node.value)] : (node.quasis ?? []).map(({ value }) => value.raw)
        return texts.some((text) => words.test(text)) ? 'the wording of a sentence' : undefined
      },
    },
  },
]
