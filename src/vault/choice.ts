import { assertThat, type ErrorDetail } from '../errors.ts'
import type { ListedSite } from '../sites/dialects/dialect.ts'
import { quotedWords } from '../names.ts'

/** Tools of one site that are chosen. Models find the right one among few more than twenty less often. */
export const mostChosen = 20

type Chosen = Pick<ListedSite, 'manifest' | 'offered'>

/**
 * Throws VALIDATION_ERROR if the site lists what its owner chooses, and the choice is not one of 1 to 20 usable tools; or
 * if there is a choice at a site that lists all its tools.
 */
export function assertChosen({ manifest, offered }: Chosen, chosen: readonly string[] | undefined): void {
  const problem = offered ? problemOf({ manifest, offered }, chosen) : chosen && problemOfAll
  const details = problem === undefined ? [] : [problem]
  assertThat(problem === undefined, 'VALIDATION_ERROR', { message: problem?.message ?? '', details })
}

const problemOfAll: ErrorDetail = {
  path: 'tools',
  message: 'This site lists all its tools, so there are none to choose. Send no "tools".',
}

function problemOf({ manifest, offered }: Required<Chosen>, chosen: readonly string[] = []): ErrorDetail | undefined {
  if (chosen.length === 0 || chosen.length > mostChosen)
    return {
      path: 'tools',
      message: `This site offers ${offered.total} tools. Choose 1 to ${mostChosen} of them in "tools". POST /vault/inspect lists them.`,
    }
  const index = chosen.findIndex((name) => !manifest.tools.some((tool) => tool.name === name))
  return index === -1 ? undefined : { path: `tools.${index}`, message: unusable(chosen[index] ?? '', manifest) }
}

function unusable(name: string, { left_out: leftOut = [] }: Chosen['manifest']): string {
  const why = leftOut.find((tool) => tool.name === name)?.problem
  const quoted = quotedWords(name)
  return why === undefined
    ? `This site offers no tool named ${quoted}. POST /vault/inspect lists its tools.`
    : `The tool ${quoted} cannot be used: it ${why}.`
}
