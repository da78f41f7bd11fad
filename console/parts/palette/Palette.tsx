import { lazy, Suspense } from 'react'
import type { Owner } from '../../session/workspace.ts'
import { useHeldKey } from '../useShortcuts.ts'
import { showPalette, usePaletteOpen } from './open.ts'

const PaletteDialog = lazy(() => import('./PaletteDialog.tsx').then((file) => ({ default: file.PaletteDialog })))

/** The command palette. Its code is loaded when it is opened. */
export const Palette = ({ owner }: { owner: Owner }) => {
  useHeldKey('k', () => showPalette(true))
  if (!usePaletteOpen()) return null
  return (
    <Suspense fallback={null}>
      <PaletteDialog owner={owner} onClose={() => showPalette(false)} />
    </Suspense>
  )
}
