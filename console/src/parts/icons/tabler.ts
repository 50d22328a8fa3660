import { createElement, type SVGProps } from "react";

// Of Tabler Icons 3.51.0 (tabler.io/icons), MIT: see NOTICE. Their package has six thousand icons in 18,000 files, which every
// installation would unpack for these few. Another one is added by its name and its paths there.

type IconProps = Omit<SVGProps<SVGSVGElement>, "stroke"> & {
  /** Width and height in pixels. */
  size?: number | string | undefined;
  /** The width of its lines, where the whole is 24 wide. */
  stroke?: number | string | undefined;
};

const SQUARE = { xmlns: "http://www.w3.org/2000/svg", viewBox: "0 0 24 24" };
const LINES = { fill: "none", strokeLinecap: "round", strokeLinejoin: "round" } as const;

/** An icon without a label says nothing of its own: readers of the screen pass over it. */
function drawn(props: SVGProps<SVGSVGElement>, paths: readonly string[]) {
  const isHidden = props["aria-label"] === undefined;
  const children = paths.map((d) => createElement("path", { key: d, d }));
  return createElement("svg", { ...SQUARE, "aria-hidden": isHidden, ...props }, children);
}

function outline(...paths: readonly string[]) {
  return ({ size = 24, stroke = 2, color = "currentColor", ...rest }: IconProps) =>
    drawn({ ...LINES, stroke: color, strokeWidth: stroke, width: size, height: size, ...rest }, paths);
}

function filled(...paths: readonly string[]) {
  return ({ size = 24, stroke: _, color = "currentColor", ...rest }: IconProps) =>
    drawn({ fill: color, stroke: "none", width: size, height: size, ...rest }, paths);
}

export const IconAddressBook = outline(
  "M20 6v12a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-12a2 2 0 0 1 2 -2h10a2 2 0 0 1 2 2",
  "M10 16h6",
  "M11 11a2 2 0 1 0 4 0a2 2 0 1 0 -4 0",
  "M4 8h3",
  "M4 12h3",
  "M4 16h3",
);
export const IconAdjustments = outline(
  "M4 10a2 2 0 1 0 4 0a2 2 0 0 0 -4 0",
  "M6 4v4",
  "M6 12v8",
  "M10 16a2 2 0 1 0 4 0a2 2 0 0 0 -4 0",
  "M12 4v10",
  "M12 18v2",
  "M16 7a2 2 0 1 0 4 0a2 2 0 0 0 -4 0",
  "M18 4v1",
  "M18 9v11",
);
export const IconAlertCircle = outline("M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0", "M12 8v4", "M12 16h.01");
export const IconAlertTriangle = outline(
  "M12 9v4",
  "M10.363 3.591l-8.106 13.534a1.914 1.914 0 0 0 1.636 2.871h16.214a1.914 1.914 0 0 0 1.636 -2.87l-8.106 -13.536a1.914 1.914 0 0 0 -3.274 0",
  "M12 16h.01",
);
export const IconArrowLeft = outline("M5 12l14 0", "M5 12l6 6", "M5 12l6 -6");
export const IconBuilding = outline(
  "M3 21l18 0",
  "M9 8l1 0",
  "M9 12l1 0",
  "M9 16l1 0",
  "M14 8l1 0",
  "M14 12l1 0",
  "M14 16l1 0",
  "M5 21v-16a2 2 0 0 1 2 -2h10a2 2 0 0 1 2 2v16",
);
export const IconChartLine = outline("M4 19l16 0", "M4 15l4 -6l4 2l4 -5l4 4");
export const IconCheck = outline("M5 12l5 5l10 -10");
export const IconChecklist = outline(
  "M9.615 20h-2.615a2 2 0 0 1 -2 -2v-12a2 2 0 0 1 2 -2h8a2 2 0 0 1 2 2v8",
  "M14 19l2 2l4 -4",
  "M9 8h4",
  "M9 12h2",
);
export const IconChecks = outline("M7 12l5 5l10 -10", "M2 12l5 5m5 -5l5 -5");
export const IconChevronDown = outline("M6 9l6 6l6 -6");
export const IconChevronUp = outline("M6 15l6 -6l6 6");
export const IconCode = outline("M7 8l-4 4l4 4", "M17 8l4 4l-4 4", "M14 4l-4 16");
export const IconCopy = outline(
  "M7 9.667a2.667 2.667 0 0 1 2.667 -2.667h8.666a2.667 2.667 0 0 1 2.667 2.667v8.666a2.667 2.667 0 0 1 -2.667 2.667h-8.666a2.667 2.667 0 0 1 -2.667 -2.667l0 -8.666",
  "M4.012 16.737a2.005 2.005 0 0 1 -1.012 -1.737v-10c0 -1.1 .9 -2 2 -2h10c.75 0 1.158 .385 1.5 1",
);
export const IconDeviceMobile = outline(
  "M6 5a2 2 0 0 1 2 -2h8a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-8a2 2 0 0 1 -2 -2v-14",
  "M11 4h2",
  "M12 17v.01",
);
export const IconDots = outline(
  "M4 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0",
  "M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0",
  "M18 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0",
);
export const IconDownload = outline("M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2 -2v-2", "M7 11l5 5l5 -5", "M12 4l0 12");
export const IconFingerprint = outline(
  "M18.9 7a8 8 0 0 1 1.1 5v1a6 6 0 0 0 .8 3",
  "M8 11a4 4 0 0 1 8 0v1a10 10 0 0 0 2 6",
  "M12 11v2a14 14 0 0 0 2.5 8",
  "M8 15a18 18 0 0 0 1.8 6",
  "M4.9 19a22 22 0 0 1 -.9 -7v-1a8 8 0 0 1 12 -6.95",
);
export const IconHandStop = outline(
  "M8 13v-7.5a1.5 1.5 0 0 1 3 0v6.5",
  "M11 5.5v-2a1.5 1.5 0 1 1 3 0v8.5",
  "M14 5.5a1.5 1.5 0 0 1 3 0v6.5",
  "M17 7.5a1.5 1.5 0 0 1 3 0v8.5a6 6 0 0 1 -6 6h-2h.208a6 6 0 0 1 -5.012 -2.7a69.74 69.74 0 0 1 -.196 -.3c-.312 -.479 -1.407 -2.388 -3.286 -5.728a1.5 1.5 0 0 1 .536 -2.022a1.867 1.867 0 0 1 2.28 .28l1.47 1.47",
);
export const IconHash = outline("M5 9l14 0", "M5 15l14 0", "M11 4l-4 16", "M17 4l-4 16");
export const IconHome = outline(
  "M5 12l-2 0l9 -9l9 9l-2 0",
  "M5 12v7a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-7",
  "M9 21v-6a2 2 0 0 1 2 -2h2a2 2 0 0 1 2 2v6",
);
export const IconInfoCircle = outline("M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0", "M12 9h.01", "M11 12h1v4h1");
export const IconKeyboard = outline(
  "M2 8a2 2 0 0 1 2 -2h16a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2l0 -8",
  "M6 10l0 .01",
  "M10 10l0 .01",
  "M14 10l0 .01",
  "M18 10l0 .01",
  "M6 14l0 .01",
  "M18 14l0 .01",
  "M10 14l4 .01",
);
export const IconListDetails = outline(
  "M13 5h8",
  "M13 9h5",
  "M13 15h8",
  "M13 19h5",
  "M3 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4",
  "M3 15a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4",
);
export const IconListSearch = outline(
  "M11 15a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  "M18.5 18.5l2.5 2.5",
  "M4 6h16",
  "M4 12h4",
  "M4 18h4",
);
export const IconLogout = outline(
  "M14 8v-2a2 2 0 0 0 -2 -2h-7a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h7a2 2 0 0 0 2 -2v-2",
  "M9 12h12l-3 -3",
  "M18 15l3 -3",
);
export const IconMail = outline(
  "M3 7a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-10",
  "M3 7l9 6l9 -6",
);
export const IconMessage = outline(
  "M8 9h8",
  "M8 13h6",
  "M18 4a3 3 0 0 1 3 3v8a3 3 0 0 1 -3 3h-5l-5 3v-3h-2a3 3 0 0 1 -3 -3v-8a3 3 0 0 1 3 -3h12",
);
export const IconMessage2 = outline(
  "M8 9h8",
  "M8 13h6",
  "M9 18h-3a3 3 0 0 1 -3 -3v-8a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v8a3 3 0 0 1 -3 3h-3l-3 3l-3 -3",
);
export const IconMessageQuestion = outline(
  "M8 9h8",
  "M8 13h6",
  "M14 18h-1l-5 3v-3h-2a3 3 0 0 1 -3 -3v-8a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v4.5",
  "M19 22v.01",
  "M19 19a2.003 2.003 0 0 0 .914 -3.782a1.98 1.98 0 0 0 -2.414 .483",
);
export const IconMessages = outline(
  "M21 14l-3 -3h-7a1 1 0 0 1 -1 -1v-6a1 1 0 0 1 1 -1h9a1 1 0 0 1 1 1v10",
  "M14 15v2a1 1 0 0 1 -1 1h-7l-3 3v-10a1 1 0 0 1 1 -1h2",
);
export const IconMicrophone = outline(
  "M9 5a3 3 0 0 1 3 -3a3 3 0 0 1 3 3v5a3 3 0 0 1 -3 3a3 3 0 0 1 -3 -3l0 -5",
  "M5 10a7 7 0 0 0 14 0",
  "M8 21l8 0",
  "M12 17l0 4",
);
export const IconMicrophoneOff = outline(
  "M3 3l18 18",
  "M9 5a3 3 0 0 1 6 0v5a3 3 0 0 1 -.13 .874m-2 2a3 3 0 0 1 -3.87 -2.872v-1",
  "M5 10a7 7 0 0 0 10.846 5.85m2 -2a6.967 6.967 0 0 0 1.152 -3.85",
  "M8 21l8 0",
  "M12 17l0 4",
);
export const IconMoon = outline("M12 3c.132 0 .263 0 .393 0a7.5 7.5 0 0 0 7.92 12.446a9 9 0 1 1 -8.313 -12.454l0 .008");
export const IconNote = outline(
  "M13 20l7 -7",
  "M13 20v-6a1 1 0 0 1 1 -1h6v-7a2 2 0 0 0 -2 -2h-12a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h7",
);
export const IconPencil = outline("M4 20h4l10.5 -10.5a2.828 2.828 0 1 0 -4 -4l-10.5 10.5v4", "M13.5 6.5l4 4");
export const IconPhone = outline(
  "M5 4h4l2 5l-2.5 1.5a11 11 0 0 0 5 5l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a16 16 0 0 1 -15 -15a2 2 0 0 1 2 -2",
);
export const IconPhoneCall = outline(
  "M5 4h4l2 5l-2.5 1.5a11 11 0 0 0 5 5l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a16 16 0 0 1 -15 -15a2 2 0 0 1 2 -2",
  "M15 7a2 2 0 0 1 2 2",
  "M15 3a6 6 0 0 1 6 6",
);
export const IconPhoneOff = outline(
  "M3 21l18 -18",
  "M5.831 14.161a15.946 15.946 0 0 1 -2.831 -8.161a2 2 0 0 1 2 -2h4l2 5l-2.5 1.5c.108 .22 .223 .435 .345 .645m1.751 2.277c.843 .84 1.822 1.544 2.904 2.078l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a15.963 15.963 0 0 1 -10.344 -4.657",
);
export const IconPhoneOutgoing = outline(
  "M5 4h4l2 5l-2.5 1.5a11 11 0 0 0 5 5l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2c-8.072 -.49 -14.51 -6.928 -15 -15a2 2 0 0 1 2 -2",
  "M15 5h6",
  "M18.5 7.5l2.5 -2.5l-2.5 -2.5",
);
export const IconPhoto = outline(
  "M15 8h.01",
  "M3 6a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v12a3 3 0 0 1 -3 3h-12a3 3 0 0 1 -3 -3v-12",
  "M3 16l5 -5c.928 -.893 2.072 -.893 3 0l5 5",
  "M14 14l1 -1c.928 -.893 2.072 -.893 3 0l3 3",
);
export const IconPlayerPause = outline(
  "M6 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12",
  "M14 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12",
);
export const IconPlayerPauseFilled = filled(
  "M9 4h-2a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h2a2 2 0 0 0 2 -2v-12a2 2 0 0 0 -2 -2z",
  "M17 4h-2a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h2a2 2 0 0 0 2 -2v-12a2 2 0 0 0 -2 -2z",
);
export const IconPlayerPlay = outline("M7 4v16l13 -8l-13 -8");
export const IconPlayerPlayFilled = filled(
  "M6 4v16a1 1 0 0 0 1.524 .852l13 -8a1 1 0 0 0 0 -1.704l-13 -8a1 1 0 0 0 -1.524 .852z",
);
export const IconPlayerStop = outline(
  "M5 7a2 2 0 0 1 2 -2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2l0 -10",
);
export const IconPlugConnected = outline(
  "M7 12l5 5l-1.5 1.5a3.536 3.536 0 1 1 -5 -5l1.5 -1.5",
  "M17 12l-5 -5l1.5 -1.5a3.536 3.536 0 1 1 5 5l-1.5 1.5",
  "M3 21l2.5 -2.5",
  "M18.5 5.5l2.5 -2.5",
  "M10 11l-2 2",
  "M13 14l-2 2",
);
export const IconPlus = outline("M12 5l0 14", "M5 12l14 0");
export const IconRecordMail = outline(
  "M4 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  "M14 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  "M7 15l10 0",
);
export const IconRefresh = outline("M20 11a8.1 8.1 0 0 0 -15.5 -2m-.5 -4v4h4", "M4 13a8.1 8.1 0 0 0 15.5 2m.5 4v-4h-4");
export const IconRewindBackward5 = outline(
  "M15 18a6 6 0 1 0 0 -12h-11",
  "M7 9l-3 -3l3 -3",
  "M8 20h2a1 1 0 0 0 1 -1v-1a1 1 0 0 0 -1 -1h-2v-3h3",
);
export const IconRewindForward5 = outline(
  "M9 18a6 6 0 1 1 0 -12h11",
  "M13 20h2a1 1 0 0 0 1 -1v-1a1 1 0 0 0 -1 -1h-2v-3h3",
  "M17 9l3 -3l-3 -3",
);
export const IconRobot = outline(
  "M6 6a2 2 0 0 1 2 -2h8a2 2 0 0 1 2 2v4a2 2 0 0 1 -2 2h-8a2 2 0 0 1 -2 -2l0 -4",
  "M12 2v2",
  "M9 12v9",
  "M15 12v9",
  "M5 16l4 -2",
  "M15 14l4 2",
  "M9 18h6",
  "M10 8v.01",
  "M14 8v.01",
);
export const IconRotateClockwise = outline("M4.05 11a8 8 0 1 1 .5 4m-.5 5v-5h5");
export const IconSearch = outline("M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0", "M21 21l-6 -6");
export const IconSelector = outline("M8 9l4 -4l4 4", "M16 15l-4 4l-4 -4");
export const IconSend = outline(
  "M10 14l11 -11",
  "M21 3l-6.5 18a.55 .55 0 0 1 -1 0l-3.5 -7l-7 -3.5a.55 .55 0 0 1 0 -1l18 -6.5",
);
export const IconServer2 = outline(
  "M3 7a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v2a3 3 0 0 1 -3 3h-12a3 3 0 0 1 -3 -3v-2",
  "M3 15a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v2a3 3 0 0 1 -3 3h-12a3 3 0 0 1 -3 -3l0 -2",
  "M7 8l0 .01",
  "M7 16l0 .01",
  "M11 8h6",
  "M11 16h6",
);
export const IconShieldCheck = outline(
  "M11.46 20.846a12 12 0 0 1 -7.96 -14.846a12 12 0 0 0 8.5 -3a12 12 0 0 0 8.5 3a12 12 0 0 1 -.09 7.06",
  "M15 19l2 2l4 -4",
);
export const IconSun = outline(
  "M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  "M3 12h1m8 -9v1m8 8h1m-9 8v1m-6.4 -15.4l.7 .7m12.1 -.7l-.7 .7m0 11.4l.7 .7m-12.1 -.7l-.7 .7",
);
export const IconTerminal2 = outline(
  "M8 9l3 3l-3 3",
  "M13 15l3 0",
  "M3 6a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2l0 -12",
);
export const IconTrash = outline(
  "M4 7l16 0",
  "M10 11l0 6",
  "M14 11l0 6",
  "M5 7l1 12a2 2 0 0 0 2 2h8a2 2 0 0 0 2 -2l1 -12",
  "M9 7v-3a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v3",
);
export const IconUpload = outline("M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2 -2v-2", "M7 9l5 -5l5 5", "M12 4l0 12");
export const IconUser = outline("M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0", "M6 21v-2a4 4 0 0 1 4 -4h4a4 4 0 0 1 4 4v2");
export const IconUserCircle = outline(
  "M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0",
  "M9 10a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  "M6.168 18.849a4 4 0 0 1 3.832 -2.849h4a4 4 0 0 1 3.834 2.855",
);
export const IconUserCog = outline(
  "M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0",
  "M6 21v-2a4 4 0 0 1 4 -4h2.5",
  "M17.001 19a2 2 0 1 0 4 0a2 2 0 1 0 -4 0",
  "M19.001 15.5v1.5",
  "M19.001 21v1.5",
  "M22.032 17.25l-1.299 .75",
  "M17.27 20l-1.3 .75",
  "M15.97 17.25l1.3 .75",
  "M20.733 20l1.3 .75",
);
export const IconUserPlus = outline(
  "M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0",
  "M16 19h6",
  "M19 16v6",
  "M6 21v-2a4 4 0 0 1 4 -4h4",
);
export const IconVolume = outline(
  "M15 8a5 5 0 0 1 0 8",
  "M17.7 5a9 9 0 0 1 0 14",
  "M6 15h-2a1 1 0 0 1 -1 -1v-4a1 1 0 0 1 1 -1h2l3.5 -4.5a.8 .8 0 0 1 1.5 .5v14a.8 .8 0 0 1 -1.5 .5l-3.5 -4.5",
);
export const IconX = outline("M18 6l-12 12", "M6 6l12 12");
