import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { countInWords } from '../../parts/format.ts'
import { shownText } from '../../parts/shown-text.ts'
import { confirmingMeans, openProposals, proposals } from './proposal-words.ts'
import styles from './Proposals.module.css'
import { useConfirm } from './useConfirm.ts'

/** What a site proposes for several of its tools, and the confirmation of all of it. */
export const Proposals = ({ tools, entryId }: { tools: readonly Api['VaultTool'][]; entryId: string }) => {
  const [isAsking, setAsking] = useState(false)
  const open = openProposals(tools)
  if (open.length === 0) return null
  return (
    <div className={styles.proposals}>
      <p>
        The site says that failed calls of {countInWords(open.length, 'tool')} may be sent again. Until you confirm
        that, they are not.
      </p>
      <Button onPress={() => setAsking(true)}>Confirm all proposals</Button>
      {isAsking && <AllProposals open={open} entryId={entryId} onClose={() => setAsking(false)} />}
    </div>
  )
}

interface AllProposalsProps {
  open: Api['ToolEffect'][]
  entryId: string
  onClose: () => void
}

/** What is confirmed is what was listed when the dialog opened. */
const AllProposals = ({ open, entryId, onClose }: AllProposalsProps) => {
  const [tools] = useState(open)
  const { isBusy, confirm } = useConfirm(entryId)
  return (
    <Dialog title={`Confirm ${countInWords(tools.length, 'proposal')}?`} isOpen onClose={onClose}>
      <p>{confirmingMeans}</p>
      {(['read', 'idempotent'] as const).map((effect) => (
        <Names key={effect} effect={effect} names={tools.filter((tool) => tool.effect === effect)} />
      ))}
      <DialogButtons>
        <Curl action={{ method: 'PATCH', path: `/vault/${entryId}/tools`, body: { tools } }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" busy={isBusy} onPress={() => void confirm(tools).then(onClose)}>
          Confirm all
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

const Names = ({ effect, names }: { effect: Api['ProposedEffect']; names: readonly { name: string }[] }) =>
  names.length > 0 && (
    <section>
      <h3>{proposals[effect]}</h3>
      <ul className={styles.names}>
        {names.map(({ name }) => (
          <li key={name}>
            <code className="stranger">{shownText(name)}</code>
          </li>
        ))}
      </ul>
    </section>
  )
