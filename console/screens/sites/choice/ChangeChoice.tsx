import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { notify } from '../../../design/notices.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { ToolChoice } from './ToolChoice.tsx'

interface ChangeChoiceProps {
  entry: Api['VaultEntry']
  tools: readonly Api['VaultTool'][]
}

/** Other tools of a site that offers more than it lists. */
export const ChangeChoice = ({ entry, tools }: ChangeChoiceProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <Button onPress={() => setOpen(true)}>Choose tools</Button>
      {isOpen && <ChoiceDialog entry={entry} tools={tools} onClose={() => setOpen(false)} />}
    </div>
  )
}

const ChoiceDialog = ({ entry, tools, onClose }: ChangeChoiceProps & { onClose: () => void }) => {
  const [chosen, choose] = useState<readonly string[]>(tools.map(({ name }) => name))
  const queries = useQueryClient()
  const choosing = api.useMutation('put', '/vault/{entryId}/tools', {
    async onSuccess({ items }) {
      notify('done', `The site has ${countInWords(items.length, 'tool')} now.`)
      onClose()
      await queries.invalidateQueries()
    },
  })
  const body = { tools: [...chosen] }
  return (
    <Dialog title="Choose tools" isOpen wide onClose={onClose}>
      <p>Tools that stay are used as before. Agents lose those that you remove.</p>
      <ToolChoice url={entry.origin} chosen={chosen} onChoose={choose} />
      {choosing.error && <ErrorBox error={choosing.error} />}
      <DialogButtons>
        <Curl action={{ method: 'PUT', path: `/vault/${entry.id}/tools`, body }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button
          kind="primary"
          busy={choosing.isPending}
          isDisabled={chosen.length === 0}
          onPress={() => choosing.mutate({ params: { path: { entryId: entry.id } }, body })}
        >
          Save choice
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
