import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../i18n/i18n.js';
import { type Brought, filesIn } from './bring-files.js';

interface DropZoneProps {
  /** Whether the chat is what the window shows. */
  active: boolean;
  onDrop: (brought: Brought) => void;
}

/** Files that are dragged anywhere over the window can be dropped on it, while a chat is shown. */
export function DropZone({ active, onDrop }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    // Where nobody takes it, a browser would open the file in the place of the window.
    let depth = 0;
    const hasFiles = ({ dataTransfer }: DragEvent) =>
      dataTransfer?.types.includes('Files') === true;
    const set = (next: number) => {
      depth = Math.max(0, next);
      setOver(active && depth > 0);
    };
    const onEnter = (event: DragEvent) => hasFiles(event) && set(depth + 1);
    const onLeave = (event: DragEvent) => hasFiles(event) && set(depth - 1);
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = active ? 'copy' : 'none';
    };
    const onDropped = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      set(0);
      if (active && event.dataTransfer) latest.current(filesIn(event.dataTransfer));
    };
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDropped);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDropped);
      setOver(false);
    };
  }, [active]);
  if (!over) return null;
  return (
    <div className="drop-zone" data-testid="drop-zone">
      <div className="drop-card">
        <FileUp size={28} aria-hidden="true" />
        <p className="drop-title">{t('attachments.drop')}</p>
        <p>{t('attachments.drop_hint')}</p>
      </div>
    </div>
  );
}
