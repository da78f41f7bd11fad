import { useBlocker } from '@tanstack/react-router'
import { Button } from '../../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'

/** Asks before a page with unsaved input is left. */
export const KeepDialog = ({ isChanged }: { isChanged: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  return (
    <Dialog title="Leave without saving?" isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p>What you typed is not saved yet.</p>
      <DialogButtons>
        <Button onPress={() => reset?.()}>Stay</Button>
        <Button kind="danger" onPress={() => proceed?.()}>
          Leave
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
