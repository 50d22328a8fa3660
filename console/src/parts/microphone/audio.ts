import type { MicrophoneFrame } from "./worklet.ts";
// A file of the build: the page's policy runs nothing else.
import workletUrl from "./worklet.ts?worker&url";

/** The microphone and the loudspeaker of a call. */
export type CallAudio = {
  /** What the agent says, 20 ms of it. */
  play: (frame: ArrayBuffer) => void;
  mute: (isMuted: boolean) => void;
  stopMicrophone: () => void;
  close: () => void;
};

/**
 * Opens both, once the user lets us; a call begins with it.
 *
 * @throws Error with a sentence for the user
 */
export async function openCallAudio(onFrame: (frame: MicrophoneFrame) => void): Promise<CallAudio> {
  if (navigator.mediaDevices === undefined) {
    throw new Error("A browser gives the microphone only to pages that come by https or from this machine.");
  }
  // Before the user is asked: a browser lets sound out for a click, not for what comes long after it.
  const context = new AudioContext();
  let tracks: readonly MediaStreamTrack[] = [];
  const stopMicrophone = () => {
    for (const track of tracks) track.stop();
  };
  const close = () => {
    stopMicrophone();
    if (context.state !== "closed") void context.close();
  };
  try {
    const stream = await openMicrophone();
    tracks = stream.getTracks();
    await context.audioWorklet.addModule(workletUrl);
    const sound = new AudioWorkletNode(context, "call-sound", {
      channelCount: 1,
      channelCountMode: "explicit",
      outputChannelCount: [1],
    });
    sound.port.onmessage = ({ data }: MessageEvent<MicrophoneFrame>) => onFrame(data);
    context.createMediaStreamSource(stream).connect(sound).connect(context.destination);
    void context.resume();
    return {
      play: (frame) => sound.port.postMessage(frame, [frame]),
      mute(isMuted) {
        for (const track of tracks) track.enabled = !isMuted;
      },
      stopMicrophone,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
  } catch (error) {
    throw new Error(REFUSALS[(error as DOMException).name] ?? "The microphone cannot be used.", { cause: error });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: "Allow the microphone for this page in the browser, then call again.",
  NotFoundError: "There is no microphone on this machine.",
  NotReadableError: "The microphone cannot be used: another program may have it.",
};
