/** How a node's recordings and pictures fare on their way to the store that all nodes share. */
export type ObjectUploads = {
  /** On its disk, and not yet confirmed by the store. */
  waiting: number;
  /** Whether the last attempts failed. */
  failing: boolean;
};
