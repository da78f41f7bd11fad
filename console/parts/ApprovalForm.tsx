import { useMutation, useQuery } from '@tanstack/react-query'
import { useImperativeHandle, useState, type Ref } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from '../design/Button.tsx'
import { Dialog, DialogButtons } from '../design/Dialog.tsx'
import { Field } from '../design/Field.tsx'
import { notify } from '../design/notices.ts'
import { Curl } from './Curl.tsx'
import { useOwner } from '../session/workspace.ts'
import { isDestructive, outcomeInWords } from './approval-words.ts'
import { connectionQuery, decide, decisionOf, type ShownApproval } from './approvals.ts'
import styles from './ApprovalCard.module.css'
import { AskedForm, firstTyped, inputIn } from './AskedForm.tsx'
import { ApprovalEnding } from './ApprovalEnding.tsx'
import { shownText } from './shown-text.ts'

export interface Decider {
  approve: () => void
  refuse: () => void
}

interface ApprovalFormProps {
  approval: ShownApproval
  onDecided?: () => void
  decider?: Ref<Decider>
}

/** The note or the form of the site, and the two buttons, or what came of the approval. */
export const ApprovalForm = ({ approval, onDecided, decider }: ApprovalFormProps) => {
  const owner = useOwner()
  const [note, setNote] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { tool: toolName, siteOrigin, form } = approval
  const [typed, type] = useState(firstTyped(form))
  const answer = form === null ? undefined : inputIn(form, typed)
  const { data: connection, isPending } = useQuery(connectionQuery(owner.query.workspaceId, siteOrigin, toolName))
  const deciding = useMutation({
    mutationFn: (decision: 'approve' | 'refuse') => decide(approval, decision, note.trim(), answer),
    onSuccess(decided) {
      notify('done', outcomeInWords({ ...decided, tool: shownText(toolName) }, note.trim()))
      onDecided?.()
    },
    onError: (error) => notify('problem', problemOf(error).sentence),
    onSettled: () => setAsking(false),
  })
  // Nobody decides before the page says what the tool may do.
  const mayDecide = approval.status === 'pending' && owner.may('use') && !deciding.isPending && !isPending
  const approve = () =>
    form === null && isDestructive(connection?.tool) ? setAsking(true) : deciding.mutate('approve')
  const refuse = () => deciding.mutate('refuse')
  useImperativeHandle(decider, () => (mayDecide ? { approve, refuse } : idle))
  if (approval.status !== 'pending') return <ApprovalEnding approval={approval} />
  if (!owner.may('use')) return <p className={styles.quiet}>Your role may see approvals, but not decide them.</p>
  const busy = (decision: 'approve' | 'refuse') => deciding.isPending && deciding.variables === decision
  return (
    <>
      {form === null ? (
        <Field
          label="Note"
          hint="Optional. If you refuse, the model reads it."
          lines={2}
          maxLength={1000}
          value={note}
          onChange={setNote}
        />
      ) : (
        <AskedForm form={form} typed={typed} onType={type} error={deciding.error} />
      )}
      <div className={styles.buttons}>
        <Button kind="primary" busy={busy('approve')} isDisabled={busy('refuse') || isPending} onPress={approve}>
          {form === null ? 'Approve' : 'Send the answer'}
        </Button>
        <Button kind="danger" busy={busy('refuse')} isDisabled={busy('approve') || isPending} onPress={refuse}>
          Refuse
        </Button>
        <Curl
          action={{
            method: 'POST',
            path: `/approvals/${approval.id}`,
            body: decisionOf(approval, 'approve', note.trim(), answer),
          }}
        />
      </div>
      <Dialog title="Approve this call?" isOpen={isAsking} onClose={() => setAsking(false)}>
        <p className="stranger">
          <code>{shownText(toolName)}</code> at {siteOrigin} may delete or administer things, and Switchyard cannot undo
          it.
        </p>
        <DialogButtons>
          <Button onPress={() => setAsking(false)}>Go back</Button>
          <Button kind="primary" busy={deciding.isPending} onPress={() => deciding.mutate('approve')}>
            Approve
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}

const idle: Decider = { approve: () => undefined, refuse: () => undefined }
