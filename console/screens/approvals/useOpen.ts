import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

/**
 * Which approval is open. Without one in the address it is the first, and it stays open when the list changes. After
 * the first move, what opens takes the focus.
 */
export function useOpen(chosen: string | undefined, first: string | undefined) {
  const navigate = useNavigate()
  const [kept, keep] = useState<string>()
  const [hasMoved, setMoved] = useState(false)
  if (kept === undefined && first !== undefined) keep(first)

  const noteMove = () => setMoved(true)
  const choose = (approval: string | undefined) => {
    noteMove()
    keep(approval)
    void navigate({ to: '.', search: (before) => ({ ...before, approval }), replace: true })
  }
  return { open: chosen ?? kept, hasMoved, choose, noteMove }
}
