import type { Api } from '../../api/client.ts'

type Tool = Pick<Api['Tool'], 'effect' | 'proposedEffect'>

/** What a site says of its tool, without declaring it. */
export const proposals: Record<Api['ProposedEffect'], string> = {
  read: 'Proposed: only reads.',
  idempotent: 'Proposed: calling it twice has the same effect as calling it once.',
}

const ranks: Record<Api['Effect'], number> = { once: 0, idempotent: 1, read: 2 }

/** The same in a word or two. */
export const proposalWords: Record<Api['ProposedEffect'], string> = {
  read: 'proposed: reads',
  idempotent: 'proposed: repeatable',
}

/** Whether the site proposes more than its tool's effect allows now. */
export const hasProposal = ({ effect, proposedEffect }: Tool): boolean =>
  proposedEffect !== undefined && ranks[effect] < ranks[proposedEffect]

/** The tools whose proposals can be confirmed, with the effects that they then have. */
export const openProposals = (tools: readonly (Tool & Pick<Api['Tool'], 'name'>)[]): Api['ToolEffect'][] =>
  tools.flatMap(({ name, ...tool }) => {
    const { proposedEffect: effect } = tool
    return effect !== undefined && hasProposal(tool) ? [{ name, effect }] : []
  })

/** What a confirmation means, for those who decide it. */
export const confirmingMeans =
  'A failed call of a confirmed tool may be sent again, up to three times in total, even if the site did its work the first time. In a chat, deleting and administering tools then need no approval by default. Confirm only what you know to be true of the site.'
