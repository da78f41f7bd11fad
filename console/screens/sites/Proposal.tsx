import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { confirmingMeans, hasProposal, proposals } from './proposal-words.ts'
import styles from './Proposals.module.css'
import { useConfirm } from './useConfirm.ts'

type Tool = Pick<Api['Tool'], 'name' | 'effect' | 'proposedEffect'>

/** What a site proposes for one of its tools, with the owner's decision about it. */
export const Proposal = ({ tool, entryId }: { tool: Tool; entryId?: string | undefined }) => {
  const { proposedEffect } = tool
  if (proposedEffect === undefined) return null
  return (
    <div className={styles.proposal}>
      <p>
        {proposals[proposedEffect]}{' '}
        {hasProposal(tool) ? 'Not confirmed, so failed calls are not sent again.' : 'Confirmed.'}
      </p>
      {hasProposal(tool) && <p className={styles.quiet}>{confirmingMeans}</p>}
      {entryId !== undefined && <Decision tool={tool} proposed={proposedEffect} entryId={entryId} />}
    </div>
  )
}

const Decision = (props: { tool: Tool; proposed: Api['ProposedEffect']; entryId: string }) => {
  const { tool, proposed, entryId } = props
  const { isBusy, confirm } = useConfirm(entryId)
  const effect: Api['Effect'] = hasProposal(tool) ? proposed : 'once'
  const tools = [{ name: tool.name, effect }]
  return (
    <div className={styles.buttons}>
      <Button small busy={isBusy} onPress={() => void confirm(tools)}>
        {effect === 'once' ? 'Never send it twice' : 'Confirm'}
      </Button>
      <Curl action={{ method: 'PATCH', path: `/vault/${entryId}/tools`, body: { tools } }} />
    </div>
  )
}
